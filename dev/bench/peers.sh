#!/usr/bin/env bash
# Installs other gateways into a throwaway folder and measures them under the load that the section `gateway` uses.
#
#   dev/bench/peers.sh [--quick]
#
# PEERS names a folder to keep the installations in (about 1.6 GB); without it they are removed at the end. A peer that
# cannot be installed or started is skipped with a line that says so. Nothing leaves the machine but the installations.
set -u
cd "$(dirname "$0")/../.."

folder=${PEERS:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
upstream=127.0.0.1:18780
pids=()
peers=()

finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
    wait 2>/dev/null
    [ -n "${PEERS:-}" ] || rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM

skip() { echo "skipped: $1: $2; see $folder/$3.log" >&2; }

# start NAME LOG PORT HEADERS COMMAND...: runs a peer and waits until it listens.
start() {
    local name=$1 log=$2 port=$3 headers=$4
    shift 4
    HOME=$folder "$@" >"$folder/$log.log" 2>&1 </dev/null &
    local pid=$! begin=$SECONDS
    pids+=("$pid")
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null; then skip "$name" "it ended at its start" "$log"; return; fi
        if ((SECONDS - begin > 180)); then skip "$name" "not listening after three minutes" "$log"; return; fi
        sleep 0.2
    done
    echo "$name listens after $((SECONDS - begin)) s" >&2
    peers+=("$name,$pid,127.0.0.1:$port$headers")
}

# venv NAME PACKAGE: a Python program in an environment of its own.
venv() {
    [ -x "$folder/$1/bin/$1" ] && return
    echo "installing $2" >&2
    { python3 -m venv "$folder/$1" && "$folder/$1/bin/pip" install -q "$2"; } >>"$folder/install.log" 2>&1
}

if venv litellm 'litellm[proxy]'; then
    cat >"$folder/litellm.yaml" <<YAML
model_list:
  - model_name: gpt-5
    litellm_params: { model: openai/gpt-5, api_base: "http://$upstream/v1", api_key: sk-bench }
YAML
    # It does not start without a key of its own.
    key=sk-$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
    start LiteLLM litellm 18781 ",authorization=Bearer $key" \
        env LITELLM_MASTER_KEY="$key" LITELLM_TELEMETRY=False LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_LOG=ERROR \
        "$folder/litellm/bin/litellm" --config "$folder/litellm.yaml" --host 127.0.0.1 --port 18781
else
    skip LiteLLM "pip could not install it" install
fi

portkey=$folder/portkey/node_modules/@portkey-ai/gateway/build/start-server.js
mkdir -p "$folder/portkey"
if [ -f "$portkey" ] || npm install --silent --prefix "$folder/portkey" @portkey-ai/gateway >>"$folder/install.log" 2>&1; then
    start Portkey portkey 18782 ",x-portkey-provider=openai,x-portkey-custom-host=http://$upstream/v1" \
        env TRUSTED_CUSTOM_HOSTS=127.0.0.1 node "$portkey" --port=18782 --headless
else
    skip Portkey "npm could not install it" install
fi

if venv headroom 'headroom-ai[proxy]'; then
    start Headroom headroom 18783 "" env HEADROOM_TELEMETRY=off HF_HUB_OFFLINE=1 "$folder/headroom/bin/headroom" proxy \
        --port 18783 --no-rate-limit --no-cache --openai-api-url "http://$upstream"
else
    skip Headroom "pip could not install it" install
fi

if [ ${#peers[@]} -eq 0 ]; then
    echo "no peer could be started" >&2
    exit 1
fi
cargo run --release -p tokenforge-bench -- peers "$@" "$upstream" "${peers[@]}"
