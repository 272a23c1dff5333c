"""What ROS 1's own genmsg makes of all types that are installed: a line of JSON each, {"kind", "name", "md5", "text"}.

Usage: oracle.py FOLDER, such as /usr/share. Needs Debian's python3-genmsg.
"""
import json
import os
import sys

import genmsg
from genmsg import gentools
from genmsg.msg_loader import MsgContext, load_depends, load_msg_by_type, load_srv_by_type


def packages(folder):
    found = {}
    for package in sorted(os.listdir(folder)):
        for kind in ("msg", "srv"):
            inside = os.path.join(folder, package, kind)
            files = [name for name in os.listdir(inside)] if os.path.isdir(inside) else []
            names = sorted(name[:-4] for name in files if name.endswith("." + kind))
            if names:
                found.setdefault(package, {})[kind] = names
    return found


def main():
    folder = sys.argv[1]
    found = packages(folder)
    search = {package: [os.path.join(folder, package, "msg")] for package in found}
    services = {package: [os.path.join(folder, package, "srv")] for package in found}
    for package, kinds in found.items():
        for kind, names in kinds.items():
            for name in names:
                full = package + "/" + name
                context = MsgContext.create_default()
                try:
                    spec = load_msg_by_type(context, full, search) if kind == "msg" else load_srv_by_type(context, full, services)
                    load_depends(context, spec, search)
                    text = gentools.compute_full_text(context, spec) if kind == "msg" else ""
                    print(json.dumps({"kind": kind, "name": full, "md5": gentools.compute_md5(context, spec), "text": text}))
                except (genmsg.InvalidMsgSpec, genmsg.MsgNotFound, KeyError) as error:
                    # A definition of ROS 2, or one whose packages are not installed.
                    print(json.dumps({"kind": kind, "name": full, "refused": str(error)}))


main()
