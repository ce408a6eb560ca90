#!/bin/sh
# Builds the server, copies it to the host and restarts the service.
set -eu

host=${1:?usage: deploy.sh HOST}

build_server() {
    (cd server && go build -o ../out/parcel-server .)
}

restart_service() {
    ssh "$host" sudo systemctl restart parcel-server
}

build_server
scp out/parcel-server "$host:/opt/parcel/"
restart_service
