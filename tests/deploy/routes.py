"""HAProxy with the league's own configuration before three referees on one PostgreSQL: where do calls go?

Usage: routes.py PROGRAM. Needs haproxy, openssl, an installed PostgreSQL and the Python package grpcio. Nothing of the
configuration is replaced but addresses, the certificate, and times, which are shorter. Called by `.ci/extra deploy`.
"""

import concurrent.futures
import hashlib
import os
import pathlib
import pwd
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

import grpc

LEAGUE = pathlib.Path(__file__).resolve().parents[2] / "referee/deploy/league"
MATCHES = [hashlib.sha256(bytes([number])).hexdigest()[:32] for number in range(12)]
# What a referee says of a call without a token, whose match nobody has made.
REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INVALID_ARGUMENT)
# Two messages of a stream are a second apart at most; whatever is silent for three is gone.
HEARTBEAT, SILENCE, WATCHED = 1, 3, 6


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until(what, is_so, patience=30):
    end = time.monotonic() + patience
    while True:
        found = is_so()
        if found:
            return found
        assert time.monotonic() < end, f"not within {patience} s: {what}"
        time.sleep(0.05)


def http(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""
    except OSError:
        return 0, ""


class Processes:
    """What runs here, and ends with this."""

    def __init__(self):
        self.running = []

    def start(self, command, log, **options):
        process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, **options)
        self.running.append(process)
        return process

    def end(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
        for process in self.running:
            process.wait()


def database(processes, folder):
    """A cluster of its own; gives its address."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    assert found, "PostgreSQL is not installed"
    programs, data, port = found[-1], folder / "data", free_port()
    user = {}
    if os.getuid() == 0:
        # It does not run as root.
        other = pwd.getpwnam("postgres")
        user = {"user": other.pw_uid, "group": other.pw_gid}
        os.chown(folder, other.pw_uid, other.pw_gid)
    subprocess.run([programs / "initdb", "--username=referee", "--auth=trust", "--no-sync", "--pgdata", data],
                   check=True, stdout=subprocess.DEVNULL, cwd=folder, **user)
    log = open(folder / "postgres.log", "w")
    processes.start([programs / "postgres", "-D", data, "-c", f"port={port}", "-c", "listen_addresses=127.0.0.1",
                     "-c", f"unix_socket_directories={folder}"], log, cwd=folder, **user)
    ask = [programs / "pg_isready", "--quiet", "--host=127.0.0.1", f"--port={port}"]
    until("PostgreSQL", lambda: subprocess.run(ask).returncode == 0)
    return f"postgres://referee@127.0.0.1:{port}/postgres"


class Referee:
    """One referee of the league."""

    def __init__(self, program, store, folder, number):
        self.name = f"referee-{number}"
        self.port, self.figures = free_port(), free_port()
        self.command = [program, "serve", "--store", store, "--key", folder / "league.key", "--no-web", "--insecure",
                        "--token-file", folder / f"tokens-{number}", "--listen", f"127.0.0.1:{self.port}",
                        "--metrics", f"127.0.0.1:{self.figures}", "--proxy", "127.0.0.1",
                        "--limit", f"heartbeat={HEARTBEAT}s"]
        self.log = folder / f"{self.name}.log"

    def start(self, processes):
        self.process = processes.start(self.command, open(self.log, "a"))
        ready = lambda: http(self.port, "/readyz")[0] == 200 or self.process.poll()
        assert until(self.name, ready) is True, self.log.read_text()

    def told(self, name, **labels):
        """The sum of a figure's series with these labels."""
        _, text = http(self.figures, "/metrics")
        wanted = [f'{label}="{value}"' for label, value in labels.items()]
        lines = [line for line in text.splitlines() if re.match(name + r"[{ ]", line)]
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in lines if all(one in line for one in wanted))


def begin_proxy(processes, folder, referees):
    """The proxy with the league's configuration; gives its ports for players and figures."""
    players, figures = free_port(), free_port()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "1", "-keyout", folder / "proxy.key",
                    "-out", folder / "proxy.chain"], check=True, stderr=subprocess.DEVNULL)
    certificate = folder / "proxy.pem"
    certificate.write_text((folder / "proxy.chain").read_text() + (folder / "proxy.key").read_text())
    text = (LEAGUE / "haproxy.cfg").read_text()
    places = {"/run/secrets/proxy.pem": str(certificate), "bind :443 ": f"bind 127.0.0.1:{players} ",
              "bind :8405": f"bind 127.0.0.1:{figures}", "timeout client 90s": f"timeout client {SILENCE}s",
              "timeout server 90s": f"timeout server {SILENCE}s"}
    places |= {f" {one.name}:7435": f" 127.0.0.1:{one.port}" for one in referees}
    for place, own in places.items():
        assert place in text, f"haproxy.cfg has no `{place}`"
        text = text.replace(place, own)
    (folder / "haproxy.cfg").write_text(text)
    process = processes.start(["haproxy", "-db", "-f", folder / "haproxy.cfg"], open(folder / "proxy.log", "w"))
    until("the proxy", lambda: http(figures, "/readyz")[0] == 200)
    return process, players, figures


class Caller:
    """Calls through the proxy as any client of gRPC, encrypted."""

    def __init__(self, folder, port):
        trust = grpc.ssl_channel_credentials((folder / "proxy.chain").read_bytes())
        self.channel = grpc.secure_channel(f"localhost:{port}", trust)
        same = lambda message: message
        self.method = self.channel.unary_unary("/referee.v1.MatchService/GetMatch", same, same)
        self.lobbies = self.channel.unary_stream("/referee.v1.MatchService/WatchLobbies", same, same)

    def call(self, match=None):
        """The code of an answer: no token is sent, so that a referee refuses it."""
        about = [("referee-match", match)] if match else []
        # The request's one field, which says the same.
        name = f"matches/{match or MATCHES[0]}".encode()
        try:
            self.method(bytes([0x0A, len(name)]) + name, metadata=about, timeout=10)
        except grpc.RpcError as error:
            return error.code()
        return grpc.StatusCode.OK


def where(referees, call):
    """Which referees answered while something was called."""
    count = lambda: {one.name: one.told("grpc_server_handled_total", grpc_method="GetMatch") for one in referees}
    before = count()
    call()
    after = count()
    return {name: after[name] - before[name] for name in before if after[name] != before[name]}


def homes(caller, referees, times=3):
    """The one referee to which the calls of each match go."""
    found = {}
    for match in MATCHES:
        codes = []
        went = where(referees, lambda: codes.extend(caller.call(match) for _ in range(times)))
        assert all(code in REFUSED for code in codes), codes
        assert list(went.values()) == [times], f"the calls of {match} went to {went}"
        found[match] = next(iter(went))
    return found


def main(program):
    processes = Processes()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        os.chmod(folder, 0o755)
        (folder / "postgres").mkdir()
        try:
            store = database(processes, folder / "postgres")
            referees = [Referee(program, store, folder, number) for number in (1, 2, 3)]
            for one in referees:
                one.start(processes)
            proxy, port, figures = begin_proxy(processes, folder, referees)
            seen = lambda: float(re.search(r'haproxy_backend_active_servers{proxy="by_match"} (\S+)', http(figures, "/metrics")[1])[1])
            until("three referees that are ready", lambda: seen() == 3)
            routes(processes, folder, referees, proxy, port, seen)
            figures_are_told(figures)
            are_heard(folder, port, referees)
            drains(Caller(folder, port), proxy)
        except BaseException:
            for log in folder.glob("*.log"):
                print(f"-- {log.name}\n{log.read_text()[-1500:]}", file=sys.stderr)
            raise
        finally:
            processes.end()


def routes(processes, folder, referees, proxy, port, seen):
    caller, other = Caller(folder, port), Caller(folder, port)
    first = homes(caller, referees)
    spread = {name: list(first.values()).count(name) for name in set(first.values())}
    assert len(spread) == 3, f"all matches are at {spread}"
    assert homes(other, referees, times=1) == first, "another client's calls of the same matches go elsewhere"
    print(f"with the header: each match at one referee, whoever calls; {len(MATCHES)} matches: {spread}")

    # Without it they go to whoever has least to do.
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        went = where(referees, lambda: list(pool.map(lambda _: caller.call(), range(120))))
    assert len(went) == 3 and sum(went.values()) == 120, f"calls without the header went to {went}"
    print(f"without it: {went}")

    # A stream is longer than any silence may be, since it is never silent.
    began, messages = time.monotonic(), 0
    for _ in caller.lobbies(b"", timeout=60):
        messages += 1
        if time.monotonic() - began > WATCHED:
            break
    assert messages >= WATCHED - 2, f"{messages} messages in {WATCHED} s"
    print(f"a stream of {WATCHED} s with {messages} messages, where {SILENCE} s of silence end a connection")

    # One dies. What it was asked may fail as UNAVAILABLE, which clients ask again; nothing else may.
    dead = referees[0]
    others = [one for one in referees if one is not dead]
    dead.process.kill()
    dead.process.wait()
    failed = 0
    for match in MATCHES:
        for _ in range(20):
            code = caller.call(match)
            if code in REFUSED:
                break
            assert code == grpc.StatusCode.UNAVAILABLE, code
            failed += 1
        else:
            raise AssertionError(f"{match} is not answered any more")
    until("the proxy sees two", lambda: seen() == 2)
    second = homes(caller, others, times=2)
    moved = [match for match in MATCHES if second[match] != first[match]]
    assert all(first[match] == dead.name for match in moved), "matches moved whose referee lives"
    print(f"one referee killed: {failed} calls failed as UNAVAILABLE, its {len(moved)} matches moved and no other")

    # It comes back, and so do its matches.
    dead.start(processes)
    until("the proxy sees three again", lambda: seen() == 3)
    assert homes(caller, referees, times=2) == first, "matches are elsewhere than before"

    # One is told to stop while calls are made all the time.
    stopped = referees[1]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        stop = pool.submit(lambda: (time.sleep(0.3), stopped.process.send_signal(signal.SIGTERM)))
        codes, end = [], time.monotonic() + 4
        while time.monotonic() < end:
            codes.extend(caller.call(match) for match in MATCHES[:6])
            # An address may call no more often than `calls_per_second` says.
            time.sleep(0.02)
        stop.result()
    bad = [code for code in codes if code not in REFUSED]
    assert all(code == grpc.StatusCode.UNAVAILABLE for code in bad), bad
    assert stopped.process.wait(timeout=20) == 0
    print(f"one referee stopped: {len(bad)} of {len(codes)} calls failed as UNAVAILABLE")
    stopped.start(processes)
    until("the proxy sees three once more", lambda: seen() == 3)


def figures_are_told(figures):
    """What dashboard and alerts name of the proxy is what it tells."""
    _, told = http(figures, "/metrics")
    named = set()
    for name in ("dashboard.json", "alerts.yml"):
        text = (LEAGUE / "figures" / name).read_text().replace('\\"', '"')
        named |= set(re.findall(r'(haproxy_\w+)\{proxy=~?"([\w|]+)"', text))
    assert len(named) >= 4, named
    for name, proxies in named:
        for proxy in proxies.split("|"):
            assert re.search(rf'^{name}{{proxy="{proxy}"[,}}]', told, re.M), f"the proxy does not tell {name} of {proxy}"
    print(f"the proxy tells all {len(named)} figures that are named of it")


def are_heard(folder, port, referees):
    """A match that is made through the proxy: one referee writes it, the others hear of it, and all tell so."""
    _, host = next(line.split(": ") for line in (folder / "tokens-1").read_text().splitlines() if line.startswith("host"))
    text = lambda field, value: bytes([field << 3 | 2, len(value)]) + value
    # CreateMatchRequest: ruleset, configuration (two players), a request's id.
    request = text(1, b"rulesets/san-juan") + text(2, b"\x08\x02") + b"\x18\x01" + text(5, str(uuid.uuid4()).encode())
    name = re.compile(rb"matches/([0-9a-f]{32})")
    before = [one.told("referee_wake_ups_total", result="heard") for one in referees]
    caller = Caller(folder, port)
    create = caller.channel.unary_unary("/referee.v1.MatchService/CreateMatch", None, None)
    made = name.search(create(request, metadata=[("authorization", f"Bearer {host}")], timeout=10))
    assert made, "no match was made"
    heard = lambda: [one.told("referee_wake_ups_total", result="heard") for one in referees]
    until("two that hear of it", lambda: sum(now > then for now, then in zip(heard(), before)) == 2)
    until("one that tells it", lambda: sum(one.told("referee_appends_total", result="done") > 0 for one in referees) == 1)
    print("a match is made at one referee, and heard of at two")


def drains(caller, proxy):
    """A proxy that is told to stop lets streams go on, and ends once they have."""
    stream = caller.lobbies(b"", timeout=60)
    next(stream)
    proxy.send_signal(signal.SIGUSR1)
    began = time.monotonic()
    while time.monotonic() - began < 3:
        next(stream)
    assert proxy.poll() is None, "the proxy has ended before its streams"
    stream.cancel()
    caller.channel.close()
    proxy.wait(timeout=20)
    print("a proxy that stops lets streams go on, and ends with them")


main(pathlib.Path(sys.argv[1]).resolve())
