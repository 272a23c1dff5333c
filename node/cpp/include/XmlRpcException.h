#pragma once
#include <xmlrpcpp/XmlRpcException.h>
