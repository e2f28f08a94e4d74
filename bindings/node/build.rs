//! Tells the linker that Node has the symbols of Node-API.

fn main() {
    napi_build::setup();
}
