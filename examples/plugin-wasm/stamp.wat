;; `stamp`: every response gets a header. The smallest plugin there is, in the text form of WebAssembly.
(module
  (memory (export "memory") 2)

  ;; What the plugin is: 53 bytes at 0. It wants no body.
  (data (i32.const 0) "{\"abi\":1,\"name\":\"stamp\",\"phases\":{\"post_upstream\":0}}")

  ;; What is to be done: 30 bytes at 128.
  (data (i32.const 128) "{\"headers\":{\"x-stamp\":\"wasm\"}}")

  ;; Where the gateway may write its messages: this plugin does not read them.
  (func (export "alloc") (param $length i32) (result i32)
    (i32.const 1024))

  ;; Where the answer is: its address in the upper half, its length in the lower.
  (func (export "describe") (param $message i32) (param $length i32) (result i64)
    (i64.const 0x0000_0000_0000_0035))

  (func (export "call") (param $message i32) (param $length i32) (result i64)
    (i64.const 0x0000_0080_0000_001e)))
