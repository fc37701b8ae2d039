#!/usr/bin/env bash
# The exported C of a robot on a Cortex-M7 in QEMU: self-test, code size, stack and instructions.
# usage: examples/microcontroller/run.sh [ROBOT.urdf [DIRECTORY]]
# Debian: apt install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
robot=${1:-$here/../../urdf/rx90.urdf}
out=${2:-$(mktemp -d)}

measure() {   # NAME PRECISION FPU
    local folder=$out/$2
    local compile=(arm-none-eabi-gcc -mcpu=cortex-m7 -mthumb -mfloat-abi=hard "-mfpu=$3" -O2
                   -std=c99 -Wall -Wextra -Werror "-I$folder" "-Dreal=$2")
    "${compile[@]}" -ffunction-sections -fstack-usage -c "$folder/robot_dynamics.c" \
        -o "$folder/robot.o"
    "${compile[@]}" -DROBOT_SELF_TEST -Dmain=robot_self_test -c "$folder/robot_dynamics.c" \
        -o "$folder/self_test.o"
    "${compile[@]}" -std=gnu99 -nostartfiles --specs=nano.specs --specs=rdimon.specs \
        -u _printf_float -T "$here/mps2_an500.ld" "$here/startup.c" "$here/measure.c" \
        "$folder/self_test.o" -lm -o "$folder/robot.elf"
    local code said
    code=$(arm-none-eabi-size "$folder/robot.o" | awk 'NR == 2 {print $1 + $2}')
    said=$(timeout 60 qemu-system-arm -M mps2-an500 -nographic -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=0 -kernel "$folder/robot.elf")
    printf '%-24s %6d %6d %6d  %s\n' "$1" "$code" "$(awk '/^stack/ {print $2}' <<< "$said")" \
        "$(awk '/^instructions/ {print $2}' <<< "$said")" "$(tail -1 <<< "$said")"
}

for precision in float double; do
    urdf2dyn export "$robot" --language c --style fast --precision "$precision" --name robot \
        -o "$out/$precision" --overwrite > /dev/null
done
printf '%-24s %6s %6s %6s\n' '' code stack instr.
measure float float fpv5-sp-d16
measure double double fpv5-d16
measure double_in_software double fpv5-sp-d16
