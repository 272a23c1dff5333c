# What the experiments on two systems have in common: words of the kernel's command line as variables, and what is told of an arm.
for word in $(cat /proc/cmdline); do
    case $word in tokkyu.*=*) name=${word%%=*} && eval "${name#tokkyu.}='$(echo "${word#*=}" | tr , ' ')'" ;; esac
done
policy_of() { case $1 in spread) echo 1 ;; least-locked) echo 2 ;; bounded-defer) echo 3 ;; *) echo 0 ;; esac; }
# report ARM NAME VALUE...: with what the RTOS has counted of the home processor, but where there was no order.
report() {
    local arm=$1
    shift
    case $arm in none | *-none) echo "arm $arm $*"; return ;; esac
    local names="activations moved held unknown nowhere missed" place=0 told="arm $arm $*" name
    for name in $names; do
        told="$told $name $(count "$HOME" $place)"
        place=$((place + 1))
    done
    echo "$told" "start_ticks $(count "$HOME" 7) start_most $(count "$HOME" 8) arrived $(count "$HOME" 13)"
}
