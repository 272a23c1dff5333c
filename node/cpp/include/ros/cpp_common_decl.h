// For those who write as cpp_common does: there is no library to export from.
#pragma once
#include <ros/macros.h>
#define CPP_COMMON_DECL
