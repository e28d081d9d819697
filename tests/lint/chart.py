#!/usr/bin/env python3
"""Usage: chart.py WAIVERS MODE < rendered > annotated

Adds to the objects of a rendered chart the annotations by which checkov and kube-score leave out a
finding, as the file WAIVERS says (chart.yaml). MODE is the name of the values it was rendered with.
"""

import sys

import yaml


def name_of(thing):
    """The kind and, after a slash, the component, as WAIVERS names objects."""
    labels = thing["metadata"].get("labels", {})
    return "/".join([thing["kind"], labels.get("app.kubernetes.io/component", "")]).rstrip("/")


def annotate(thing, waivers, mode):
    reasons = {}
    for waiver in waivers:
        if name_of(thing) in waiver["objects"] and mode in waiver.get("modes", [mode]):
            reasons.update(waiver["findings"])
    if not reasons:
        return
    of_checkov = sorted(name for name in reasons if name.startswith("CKV"))
    of_kube_score = sorted(reasons.keys() - of_checkov)
    annotations = thing["metadata"].setdefault("annotations", {})
    for number, name in enumerate(of_checkov):
        annotations[f"checkov.io/skip{number}"] = f"{name}={reasons[name]}"
    if of_kube_score:
        annotations["kube-score/ignore"] = ",".join(of_kube_score)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        waivers = yaml.safe_load(file)
    things = [thing for thing in yaml.safe_load_all(sys.stdin) if thing]
    for thing in things:
        annotate(thing, waivers, sys.argv[2])
    yaml.safe_dump_all(things, sys.stdout, sort_keys=False)


main()
