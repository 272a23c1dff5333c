#pragma once
#include <ros/timer.h>
