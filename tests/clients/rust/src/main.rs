// SPDX-License-Identifier: MIT

//! The official Rust SDK against ken: ken-client stdio|HTTP legacy|modern. Prints what works, a line each;
//! ../languages.test.mjs starts it and says where everything is.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use std::{env, error::Error, fs, process};

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest,
    ProgressNotificationParam, ProtocolVersion, ResourceUpdatedNotificationParam,
    ServerNotification, ServerResult, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestHandle,
    RoleClient, RunningService, ServiceError,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::ClientHandler;
use serde_json::{json, Value};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};
use tokio::{process::Command, time::sleep};

type Step = Result<(), Box<dyn Error>>;

const STATUS: &str = "ken://languages-project/status";

fn lab(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn argument(i: usize) -> String {
    env::args().nth(i).expect("stdio|HTTP legacy|modern")
}

fn is_stdio() -> bool {
    argument(1) == "stdio"
}

fn is_legacy() -> bool {
    argument(2) == "legacy"
}

// ---- a client, and what it is told -----------------------------------------------------------------

struct Told {
    begun: UnboundedSender<()>,
    updates: UnboundedSender<String>,
}

impl ClientHandler for Told {
    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.begun.send(()).ok();
    }

    async fn on_resource_updated(
        &self,
        about: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.updates.send(about.uri).ok();
    }
}

struct Client {
    service: RunningService<RoleClient, Told>,
    server: Option<u32>, // the process that we started
    begun: UnboundedReceiver<()>,
    updates: UnboundedReceiver<String>,
}

async fn connect() -> Result<Client, Box<dyn Error>> {
    let (begun_in, begun) = unbounded_channel();
    let (updates_in, updates) = unbounded_channel();
    let told = Told {
        begun: begun_in,
        updates: updates_in,
    };
    let mode = if is_legacy() {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        }
    };
    let mut server = None;
    let service = if is_stdio() {
        let mut command = Command::new(lab("KEN_BINARY"));
        command.arg("mcp").current_dir(lab("LAB_PROJECT"));
        let child = TokioChildProcess::new(command)?;
        server = child.id();
        told.serve_with_lifecycle(child, mode).await?
    } else {
        told.serve_with_lifecycle(
            StreamableHttpClientTransport::from_uri(lab("LAB_URL")),
            mode,
        )
        .await?
    };
    Ok(Client {
        service,
        server,
        begun,
        updates,
    })
}

// ---- what happens outside ----------------------------------------------------------------------------

fn append(path: PathBuf, text: String) -> std::io::Result<()> {
    fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)?
        .write_all(text.as_bytes())
}

fn now() -> u128 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |t| t.as_nanos())
}

fn change_project() -> std::io::Result<()> {
    append(
        PathBuf::from(lab("LAB_PROJECT")).join("src/more.py"),
        format!("rust_{} = 1\n", now()),
    )
}

fn rewrite_large() -> std::io::Result<()> {
    for part in fs::read_dir(lab("LAB_LARGE"))? {
        let part = part?.path();
        if part
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("part"))
        {
            for file in fs::read_dir(part)? {
                append(file?.path(), format!("// {}\n", now()))?;
            }
        }
    }
    Ok(())
}

// ---- calls ---------------------------------------------------------------------------------------------

fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name)
        .with_arguments(arguments.as_object().cloned().unwrap_or_default())
}

fn check(holds: bool, what: impl std::fmt::Debug) -> Step {
    if holds {
        Ok(())
    } else {
        Err(format!("{what:?}").into())
    }
}

impl Client {
    // Kills the server that we started, or cuts what leads to the one that we did not start.
    async fn break_connection(&self) -> Step {
        if let Some(pid) = self.server {
            let killed = Command::new("sh")
                .args(["-c", "kill -KILL $0", &pid.to_string()])
                .status()
                .await?;
            return check(killed.success(), killed);
        }
        let url = lab("LAB_CUT");
        let address = url.trim_start_matches("http://").trim_end_matches('/');
        let mut control = TcpStream::connect(address)?;
        control.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        control.read_to_string(&mut answer)?;
        check(answer.ends_with("cut\n"), answer)
    }

    async fn call(
        &self,
        name: &'static str,
        arguments: Value,
    ) -> Result<CallToolResult, ServiceError> {
        self.service.call_tool(params(name, arguments)).await
    }

    async fn search(&self) -> Step {
        let query = json!({ "query": "where are retries handled", "project": lab("LAB_PROJECT"), "format": "json" });
        let found = self
            .call("search_code", query)
            .await?
            .structured_content
            .unwrap_or_default();
        check(found["results"][0]["file_path"] == "src/retry.py", found)
    }

    // A run with something to do, which is under way.
    async fn index_large(&mut self) -> Result<RequestHandle<RoleClient>, Box<dyn Error>> {
        rewrite_large()?;
        while self.begun.try_recv().is_ok() {}
        let run = params("index_repository", json!({ "path": lab("LAB_LARGE") }));
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(run));
        let handle = self
            .service
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await?;
        self.begun.recv().await.ok_or("no progress")?;
        Ok(handle)
    }

    // ---- the steps -----------------------------------------------------------------------------------

    async fn lists(&mut self) -> Step {
        let info = self
            .service
            .peer_info()
            .ok_or("nothing is known of the server")?;
        let version = if is_legacy() {
            "2025-11-25"
        } else {
            "2026-07-28"
        };
        let said = serde_json::to_value(&*info)?.to_string();
        check(said.contains("\"ken\"") && said.contains(version), said)?;
        let tools = self.service.list_all_tools().await?;
        check(tools.len() == 31, tools.len())?;
        let resources = self.service.list_all_resources().await?;
        check(
            serde_json::to_value(&resources)?[0]["uri"] == "ken://projects",
            resources,
        )
    }

    async fn calls(&mut self) -> Step {
        self.search().await?;
        let absent = json!({ "file_path": "none.c", "project": lab("LAB_PROJECT") });
        let failed = self.call("outline", absent).await?;
        check(failed.is_error == Some(true), failed)?;
        match self.call("no_such_tool", json!({})).await {
            Err(ServiceError::McpError(e)) => check(e.code.0 == -32602, e),
            other => Err(format!("an unknown tool must be refused: {other:?}").into()),
        }
    }

    // What is cancelled does not go on: the index can be written again, and what has changed is still to do.
    async fn cancels(&mut self) -> Step {
        self.index_large().await?.cancel(None).await?;
        loop {
            let again = self
                .call(
                    "index_repository",
                    json!({ "path": lab("LAB_LARGE"), "format": "json" }),
                )
                .await?;
            if again.is_error != Some(true) {
                let done = again.structured_content.unwrap_or_default();
                return check(done["changes"]["modified"].as_u64() > Some(1000), done);
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    #[allow(deprecated)] // the legacy era has no other way
    async fn subscribes(&mut self) -> Step {
        let pause = Duration::from_millis(2500);
        if is_legacy() {
            self.service
                .subscribe(SubscribeRequestParams::new(STATUS))
                .await?;
            sleep(pause).await;
            change_project()?;
            let uri = self.updates.recv().await;
            check(uri.as_deref() == Some(STATUS), uri)?;
            self.service
                .unsubscribe(UnsubscribeRequestParams::new(STATUS))
                .await?;
            return Ok(());
        }
        let filter = SubscriptionFilter::builder()
            .resource_subscriptions([STATUS])
            .build();
        let mut subscription = self.service.listen(filter).await?;
        sleep(pause).await;
        change_project()?;
        match subscription.next().await? {
            Some(ServerNotification::ResourceUpdatedNotification(n)) => {
                check(n.params.uri == STATUS, n)?
            }
            other => return Err(format!("told {other:?}").into()),
        }
        Ok(subscription.cancel().await?)
    }

    async fn comes_back(&mut self) -> Step {
        let call = self.index_large().await?;
        self.break_connection().await?;
        let end = call.await_response().await;
        // A legacy stream is taken up; the stateless era has nothing to take up.
        let is_answered =
            matches!(end, Ok(ServerResult::CallToolResult(ref r)) if r.is_error != Some(true));
        check(is_answered == (!is_stdio() && is_legacy()), end)?;
        if is_stdio() {
            return connect().await?.search().await;
        }
        self.search().await
    }
}

async fn run() -> Step {
    let mut client = connect().await?;
    client.lists().await?;
    println!("lists");
    client.calls().await?;
    println!("calls");
    client.cancels().await?;
    println!("cancels");
    client.subscribes().await?;
    println!("subscribes");
    client.comes_back().await?;
    println!("comes back");
    Ok(())
}

#[tokio::main]
async fn main() {
    let patience: f64 = lab("LAB_PATIENCE").parse().expect("a number");
    let end = tokio::time::timeout(Duration::from_secs_f64(20.0 * patience), run()).await;
    match end {
        Ok(Ok(())) => process::exit(0),
        Ok(Err(e)) => eprintln!("{e}"),
        Err(_) => eprintln!("not within its time"),
    }
    process::exit(1);
}
