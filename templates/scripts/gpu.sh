# shellcheck shell=bash
# Whether a GPU can be used, and what is missing if not.

# check_gpu GPU_ID
check_gpu() {
  local numbers
  command -v nvidia-smi >/dev/null ||
    fail "nvidia-smi is not on this machine, so there is no NVIDIA driver" "install the driver; \`scaffold doctor\` shows what else is missing" 2
  numbers=$(nvidia-smi --query-gpu=index --format=csv,noheader 2>&1) ||
    fail "the NVIDIA driver does not answer: ${numbers%%$'\n'*}" "load the driver (or restart the machine after its installation), then run nvidia-smi" 2
  numbers=$(tr -d ' ' <<<"$numbers" | paste -sd ' ')
  [[ $1 =~ ^[0-9]+$ ]] || fail "GPU_ID is '$1', not a number" "give one of: $numbers"
  [[ " $numbers " = *" $1 "* ]] || fail "there is no GPU $1" "give one of: $numbers" 2
  if [ -n "${CUDA_VISIBLE_DEVICES:-}" ] && [[ ",$CUDA_VISIBLE_DEVICES," != *",$1,"* ]]; then
    fail "GPU $1 is hidden: CUDA_VISIBLE_DEVICES is $CUDA_VISIBLE_DEVICES" "unset it, or give one of its GPUs"
  fi
  export CUDA_DEVICE_ORDER=PCI_BUS_ID # nvidia-smi's numbers; CUDA's own begin with the fastest GPU
}
