#pragma once
#include <ros/timer_options.h>
