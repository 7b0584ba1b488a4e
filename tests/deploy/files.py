"""Every file of referee/deploy/league, read by a program that would use it, and bent to see that it is read.

Needs haproxy, promtool, docker-compose, openssl, npm, and the Python package kubernetes-validate. Called by `.ci/extra deploy`.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

LEAGUE = pathlib.Path(__file__).resolve().parents[2] / "referee/deploy/league"
FIGURES = LEAGUE / "figures"
KUBERNETES = LEAGUE / "kubernetes"


def run(*command, fails=False, cwd=None):
    """Runs a program, which must succeed, or fail; gives what it says."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd, timeout=60)
    said = done.stdout + done.stderr
    if (done.returncode != 0) != fails:
        sys.exit(f"{command}: ended with {done.returncode}:\n{said}")
    return said


def bent(text, right, wrong):
    """A text with one mistake."""
    assert right in text, f"{right!r} is not there to be bent"
    return text.replace(right, wrong, 1)


def manifests(name):
    return [one for one in yaml.safe_load_all((KUBERNETES / name).read_text()) if one]


def proxy(folder):
    certificate = folder / "proxy.pem"
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
        "-days", "1", "-keyout", folder / "key", "-out", folder / "chain")
    certificate.write_text((folder / "chain").read_text() + (folder / "key").read_text())
    own = (LEAGUE / "haproxy.cfg").read_text()
    mapped = next(one for one in manifests("proxy.yaml") if one["kind"] == "ConfigMap")["data"]["haproxy.cfg"]
    for name, text in (("haproxy.cfg", own), ("proxy.yaml", mapped)):
        read = folder / name
        text = re.sub(r"crt \S+", f"crt {certificate}", text)
        read.write_text(text)
        said = run("haproxy", "-c", "-f", read)
        # Names of referees are not known here, which is all that there may be to say.
        rest = [line for line in said.splitlines() if "WARNING" in line and "could not resolve address" not in line]
        assert not rest, f"{name}: {rest}"
        read.write_text(bent(text, "balance hdr(referee-match)", "balance by(referee-match)"))
        run("haproxy", "-c", "-f", read, fails=True)

    def same(text):
        text = re.sub(r"(?m)^    server(-template)? .*\n|^ *#.*\n", "", text)
        return re.sub(r"bind :\S+ ssl crt \S+", "bind ssl", text)

    assert same(own) == same(mapped), "haproxy.cfg and the one of proxy.yaml differ in more than where things are"


def figures(folder):
    run("promtool", "check", "config", FIGURES / "prometheus.yml")
    run("promtool", "check", "rules", FIGURES / "alerts.yml")
    run("promtool", "test", "rules", FIGURES / "alerts_test.yml")
    alerts = (FIGURES / "alerts.yml").read_text()
    tests = (FIGURES / "alerts_test.yml").read_text()
    # Each alert is expected somewhere, and a threshold that is another one is noticed.
    names = re.findall(r"alert: (\w+)", alerts)
    for name in names:
        assert f'alertname: {name}' in tests or f'alertname="{name}"' in tests, f"{name} is not tested"
    (folder / "alerts_test.yml").write_text(tests)
    for right, wrong in (
        ("referee_store_writable == 0", "referee_store_writable == 2"),
        ("> 0.25", "> 2.5"),
        ('result="overtaken"', 'result="late"'),
        ("up{job=\"referee\"} == 0", "up{job=\"referee\"} == 1"),
    ):
        (folder / "alerts.yml").write_text(bent(alerts, right, wrong))
        run("promtool", "test", "rules", folder / "alerts_test.yml", fails=True)
    for action in yaml.safe_load(alerts)["groups"][0]["rules"]:
        assert action["annotations"]["action"], f"{action['alert']} says not what to do"

    told = json.loads((FIGURES / "dashboard.json").read_text())
    expressions, ids, taken = [], set(), set()
    for panel in told["panels"]:
        assert panel["id"] not in ids, f"two panels are {panel['id']}"
        ids.add(panel["id"])
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24, f"{panel['title']} reaches over the edge"
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, f"{panel['title']} lies on another panel"
        taken |= cells
        if panel["type"] != "row":
            assert panel["targets"] and panel["datasource"]["uid"] == "${datasource}", panel["title"]
            letters = [target["refId"] for target in panel["targets"]]
            assert len(set(letters)) == len(letters), panel["title"]
            expressions += [target["expr"] for target in panel["targets"]]
    filled = [one.replace("$__rate_interval", "1m").replace("$instance", ".*") for one in expressions]
    assert not any("$" in one for one in filled), "a variable that Grafana does not fill"

    def rules(expressions):
        rules = [{"record": f"panel:{at}", "expr": one} for at, one in enumerate(expressions)]
        (folder / "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
        return folder / "panels.yml"

    run("promtool", "check", "rules", rules(filled))
    run("promtool", "check", "rules", rules([*filled, "sum by (le (up)"]), fails=True)
    # What Grafana is told of its surroundings is where compose.yaml puts it.
    compose = yaml.safe_load((LEAGUE / "compose.yaml").read_text())
    path = yaml.safe_load((FIGURES / "grafana/dashboards.yml").read_text())["providers"][0]["options"]["path"]
    mounted = [volume.split(":")[1] for volume in compose["services"]["grafana"]["volumes"]]
    assert any(one.startswith(path + "/") for one in mounted), "no dashboard lies where Grafana looks"
    return expressions


# What a dashboard and its questions to Prometheus consist of, as Grafana's own package says it.
SDK = ["@grafana/grafana-foundation-sdk@0.0.21", "typescript@5.9"]
# Words of a dashboard that are the values of an enumeration there.
ENUMERATED = {
    '"absolute"': "D.ThresholdsMode.Absolute",
    '"datasource"': "D.VariableType.Datasource",
    '"query"': "D.VariableType.Query",
    '"code"': "P.QueryEditorMode.Code",
}


def dashboard(folder):
    """The dashboard is what Grafana's types say, and has no field that they do not."""
    typed = folder / "typed"
    typed.mkdir()
    (typed / "package.json").write_text("{}")
    run("npm", "install", "--silent", "--no-audit", "--no-fund", *SDK, cwd=typed)
    told = json.loads((FIGURES / "dashboard.json").read_text())
    # Questions are of another type for each source.
    asked = [target for panel in told["panels"] for target in panel.pop("targets", [])]

    def written(value):
        fields = r'("(?:mode|type|editorMode)": )(' + "|".join(ENUMERATED) + r")(?=,?\n)"
        return re.sub(fields, lambda found: found[1] + ENUMERATED[found[2]], json.dumps(value, indent=1))

    text = (
        'import * as D from "@grafana/grafana-foundation-sdk/dashboard";\n'
        'import * as P from "@grafana/grafana-foundation-sdk/prometheus";\n'
        f"export const dashboard: D.Dashboard = {written(told)};\n"
        f'export const asked: Omit<P.Dataquery, "_implementsDataqueryVariant">[] = {written(asked)};\n'
    )
    check = ["npx", "tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "read.ts"]
    (typed / "read.ts").write_text(text)
    run(*check, cwd=typed)
    for right, wrong in (('"gridPos"', '"gridPlace"'), ('"expr"', '"expression"'), ('"schemaVersion": 39', '"schemaVersion": "39"')):
        (typed / "read.ts").write_text(bent(text, right, wrong))
        run(*check, cwd=typed, fails=True)


def composed(folder):
    shutil.copytree(LEAGUE, folder / "league", ignore=shutil.ignore_patterns("secrets"))
    copy = folder / "league"
    run(copy / "up", "--secrets")
    key = (copy / "secrets/league.key").read_text()
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", key), "no key as the referee reads it"
    run(copy / "up", "--secrets")
    assert key == (copy / "secrets/league.key").read_text(), "a key that was there is another one"
    said = yaml.safe_load(run("docker-compose", "config", cwd=copy))
    text = (copy / "compose.yaml").read_text()
    for secret in yaml.safe_load(text)["secrets"].values():
        assert (copy / secret["file"]).is_file(), f"{secret['file']} is not made"
    for name, service in said["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0] if isinstance(volume, str) else volume["source"]
            assert not source.startswith("/") or pathlib.Path(source).is_file(), f"{name}: {source} is not there"
        assert service["restart"] == "unless-stopped", name
        assert "healthcheck" in service or service["image"] == "referee", f"{name} has no health check"
    container = (LEAGUE.parent / "Containerfile").read_text()
    assert "HEALTHCHECK" in container, "the referee's image has no health check"
    referees = {name for name in said["services"] if name.startswith("referee-")}
    named = set(re.findall(r"server (referee-\d) \1:7435", (LEAGUE / "haproxy.cfg").read_text()))
    scraped = yaml.safe_load((FIGURES / "prometheus.yml").read_text())["scrape_configs"][0]["static_configs"][0]["targets"]
    assert referees == named == {one.split(":")[0] for one in scraped}, (referees, named, scraped)
    address = said["services"]["proxy"]["networks"]["league"]["ipv4_address"]
    assert all(address in said["services"][name]["command"] for name in referees), "referees believe another proxy"
    (copy / "compose.yaml").write_text(bent(text, "restart: unless-stopped", "restarts: unless-stopped"))
    run("docker-compose", "config", cwd=copy, fails=True)
    return text


def kubernetes():
    every = {}
    for path in sorted(KUBERNETES.glob("*.yaml")):
        for one in manifests(path.name):
            kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
            every[one["kind"], one["metadata"]["name"]] = one
    try:
        wrong = json.loads(json.dumps(every["Deployment", "referee"]))
        wrong["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
        kubernetes_validate.validate(wrong, kubernetes_validate.latest_version(), strict=True)
    except kubernetes_validate.ValidationError:
        pass
    else:
        sys.exit("a field that does not exist is not noticed")

    pods = {}
    for (kind, name), one in every.items():
        if kind in ("Deployment", "StatefulSet"):
            template = one["spec"]["template"]
            labels = template["metadata"]["labels"]
            assert one["spec"]["selector"]["matchLabels"].items() <= labels.items(), name
            pods[name] = (labels, template["spec"])
    # Whatever is named is there: secrets with their keys, maps, volumes, ports.
    for name, (_, pod) in pods.items():
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        claimed = every.get(("StatefulSet", name), {}).get("spec", {}).get("volumeClaimTemplates", [])
        known = set(volumes) | {claim["metadata"]["name"] for claim in claimed}
        for volume in volumes.values():
            if "secret" in volume:
                secret = volume["secret"]["secretName"]
                # One is made by a command that the file shows.
                held = every.get(("Secret", secret)) or secret == "postgres-tls"
                assert held, f"{name}: there is no secret {secret}"
            if "configMap" in volume:
                assert ("ConfigMap", volume["configMap"]["name"]) in every, name
        for container in pod["containers"]:
            for mount in container["volumeMounts"]:
                assert mount["name"] in known, f"{name}: there is no volume {mount['name']}"
            ports = {port["name"] for port in container["ports"]}
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                asked = container.get(probe, {}).get("httpGet")
                assert not asked or asked["port"] in ports, f"{name}: {probe}"
            for said in container.get("env", []):
                reference = said.get("valueFrom", {}).get("secretKeyRef")
                if reference:
                    assert reference["key"] in every["Secret", reference["name"]]["stringData"], said["name"]
    for (kind, name), one in every.items():
        if kind in ("Service", "PodDisruptionBudget"):
            selector = one["spec"]["selector"]
            wanted = selector.get("matchLabels", selector)
            chosen = [pod for labels, pod in pods.values() if wanted.items() <= labels.items()]
            assert chosen, f"{kind} {name} chooses nothing"
            ports = {port["name"] for pod in chosen for container in pod["containers"] for port in container["ports"]}
            assert all(port["targetPort"] in ports for port in one["spec"].get("ports", [])), name
    budget, deployed = every["PodDisruptionBudget", "referee"], every["Deployment", "referee"]
    assert budget["spec"]["minAvailable"] < deployed["spec"]["replicas"], "no machine could be emptied"
    return len(every)


def main():
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        proxy(folder)
        expressions = figures(folder)
        dashboard(folder)
        composed(folder)
        objects = kubernetes()
    print(f"files of the league: haproxy.cfg, {len(expressions)} expressions of panels, compose.yaml, {objects} objects: all are read")


main()
