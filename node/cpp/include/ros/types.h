// The fixed-width integers of message members.
#pragma once
#include <stdint.h>
