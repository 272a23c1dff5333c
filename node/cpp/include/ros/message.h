#pragma once
#include <ros/message_traits.h>
