# The kernel on processors that QEMU stands for; sourced by .ci/test.
# shellcheck shell=bash

step_rtos_board() { rtos/check board; }
