#!/bin/sh
export SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE=1
python3 -m sglang.launch_server --model-path /models/heron-fp8 --disaggregation-mode decode \
  --context-length 128K --allow-auto-truncate --api-key sk-not-to-be-shown
