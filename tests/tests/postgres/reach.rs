//! How a database is reached: by its certificate, and not through a pooler.

use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use referee::secrets::Keys;
use referee::store::conformance::new_match;
use referee::store::postgres::{Address, Postgres};
use referee::store::{Appended, Store as _, StoreError, WakeUp};
use referee_tests::cluster::{Cluster, free_port};

use super::Test;
use super::refusals::{refused, says};

pub const TESTS: &[(&str, Test)] = &[
    (
        "reach::a_database_is_known_by_its_certificate_or_refused",
        encrypted,
    ),
    ("reach::a_pooler_is_refused", pooled),
    ("reach::a_process_that_hangs_holds_nobody_up_for_long", hung),
];

/// Somebody who signs certificates.
fn authority() -> Result<CertifiedIssuer<'static, KeyPair>, Failed> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Ok(CertifiedIssuer::self_signed(params, KeyPair::generate()?)?)
}

fn encrypted(_: &Cluster) -> Result<(), Failed> {
    let (ours, others) = (authority()?, authority()?);
    let key = KeyPair::generate()?;
    let names = vec!["localhost".to_owned()];
    let certificate = CertificateParams::new(names)?.signed_by(&key, &ours)?;
    let cluster = Cluster::start(&[])?;
    cluster.put("server.crt", &certificate.pem())?;
    cluster.put("server.key", &key.serialize_pem())?;
    for set in [
        "ssl_cert_file = '../server.crt'",
        "ssl_key_file = '../server.key'",
        "ssl = on",
    ] {
        cluster.query("postgres", &format!("ALTER SYSTEM SET {set}"))?;
    }
    cluster.query("postgres", "SELECT pg_reload_conf()")?;
    let patience = Instant::now() + Duration::from_secs(30);
    while cluster.query("postgres", "SHOW ssl")?.trim() != "on" {
        if Instant::now() > patience {
            let said = std::fs::read_to_string(cluster.log())?;
            return Err(format!("nothing is encrypted: {said}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let plain = cluster.database()?;
    let trusting = |host: &str, whom: &CertifiedIssuer<'static, KeyPair>| {
        let file = cluster.folder().join("ca.pem");
        std::fs::write(&file, whom.pem())?;
        let address = plain.replace("127.0.0.1", host);
        let file = file.display();
        Ok::<_, Failed>(format!("{address}?sslmode=verify-full&sslrootcert={file}"))
    };
    says(&refused(&trusting("localhost", &others)?)?, "certificate")?;
    // It is signed by whom we trust, and is somebody else's.
    says(&refused(&trusting("127.0.0.1", &ours)?)?, "certificate")?;

    let address = Address::read(&trusting("localhost", &ours)?)?;
    let store = Postgres::open(&address, &Keys::random()?)?;
    let (create, _) = new_match();
    store.append(vec![create])?;
    let plain = "SELECT count(*) FILTER (WHERE NOT ssl), count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                 WHERE application_name = 'referee'";
    let found = cluster.query("postgres", plain)?;
    match found.trim() {
        "0|t" => Ok(()),
        other => Err(format!("not all of its connections are encrypted: {other}").into()),
    }
}

/// A pooler that ends with this.
struct Pooler(Child);

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn pooled(cluster: &Cluster) -> Result<(), Failed> {
    if Command::new("pgbouncer").arg("--version").output().is_err() {
        println!("PgBouncer is not installed: how it is refused is left out");
        return match std::env::var("REFEREE_NEED").is_ok_and(|need| need == "postgres") {
            true => Err("PgBouncer is needed".into()),
            false => Ok(()),
        };
    }
    let address = cluster.database()?;
    for (mode, ignored) in [
        ("transaction", "extra_float_digits"),
        ("session", "extra_float_digits"),
        // As it is set where a pooler shall not mind; what is asked for is lost then.
        ("transaction", "options"),
    ] {
        let port = free_port()?;
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=referee\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = any\npool_mode = {mode}\nignore_startup_parameters = {ignored}\n",
            cluster.port()
        );
        let file = cluster.put("pgbouncer.ini", &settings)?;
        let mut pooler = cluster.beside("pgbouncer");
        let log = std::fs::File::create(cluster.folder().join("pgbouncer.log"))?;
        pooler.arg("--quiet").arg(file).stderr(log);
        let _pooler = Pooler(pooler.spawn()?);
        let patience = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > patience {
                return Err("the pooler does not begin".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let through = address.replace(&format!(":{}/", cluster.port()), &format!(":{port}/"));
        says(&refused(&through)?, "a pooler stands before the database")?;
    }
    Ok(())
}

fn hung(_: &Cluster) -> Result<(), Failed> {
    let cluster = Cluster::start(&[])?;
    let address = Address::read(&cluster.database()?)?.answered_within(Duration::from_secs(2));
    let keys = Keys::random()?;
    let (store, fellow) = (
        Postgres::open(&address, &keys)?,
        Postgres::open(&address, &keys)?,
    );
    let mut heard = fellow.shared().ok_or("it is not shared")?.wake_ups();
    let (create, id) = new_match();
    // What serves them hangs, the connections by which one hears the other among them.
    let processes = cluster.hang()?;
    let began = Instant::now();
    let unknown = store.append(vec![create.clone()]);
    let answered = began.elapsed();
    let Err(StoreError::Engine(why)) = unknown else {
        return Err(format!("{processes:?} hang, and it says {unknown:?}").into());
    };
    says(&why, "has not answered for 2 s")?;
    if answered > Duration::from_secs(8) {
        return Err(format!("it was waited for {answered:?}").into());
    }
    // Others serve them meanwhile.
    let done = store.append(vec![create])?;
    if !matches!(done[..], [Appended::Done]) {
        return Err(format!("with other processes: {done:?}").into());
    }
    let patience = Instant::now() + Duration::from_secs(30);
    while !matches!(heard.try_recv(), Ok(WakeUp::Missed)) {
        if Instant::now() > patience {
            return Err("nobody noticed that nothing is heard any more".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // Whatever was asked of a process that hung is done late, and comes to nothing.
    cluster.go_on(&processes)?;
    let busy = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY('{PIDS}'::int[])";
    let pids: Vec<String> = processes.iter().map(u32::to_string).collect();
    let busy = busy.replace("PIDS", &pids.join(","));
    while cluster.query("postgres", &busy)?.trim() != "0" {
        if Instant::now() > patience {
            return Err("a connection that was given up is still there".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    match store.read(&id, 0, 10)?.len() {
        1 => Ok(()),
        entries => Err(format!("it was made once, and has {entries} entries").into()),
    }
}
