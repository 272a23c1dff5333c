// For those who write as rostime does: there is no library to export from.
#pragma once
#include <ros/macros.h>
#define ROSTIME_DECL
