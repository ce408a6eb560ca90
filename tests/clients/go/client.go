// SPDX-License-Identifier: MIT

// The official Go SDK against ken: client stdio|HTTP legacy|modern. Prints what works, a line each;
// ../languages.test.mjs starts it and says where everything is.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const status = "ken://languages-project/status"

var (
	transport, era = os.Args[1], os.Args[2]
	project, large = os.Getenv("LAB_PROJECT"), os.Getenv("LAB_LARGE")
	versions       = map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"}
)

// A client, the server that it started (nil over HTTP), and what it is told.
type lab struct {
	*mcp.ClientSession
	server  *exec.Cmd
	begun   chan struct{}
	updates chan string
}

func connect(ctx context.Context) (*lab, error) {
	l := &lab{begun: make(chan struct{}, 1000), updates: make(chan string, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			l.updates <- r.Params.URI
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			l.begun <- struct{}{}
		},
	})
	var t mcp.Transport = &mcp.StreamableClientTransport{Endpoint: os.Getenv("LAB_URL"), MaxRetries: 10}
	if transport == "stdio" {
		l.server = exec.Command(os.Getenv("KEN_BINARY"), "mcp")
		l.server.Dir = project
		t = &mcp.CommandTransport{Command: l.server}
	}
	var err error
	l.ClientSession, err = client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: versions[era]})
	return l, err
}

// ---- what happens outside ------------------------------------------------------------------------

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func changeProject() error {
	return appendTo(filepath.Join(project, "src", "more.py"), fmt.Sprintf("go_%d = 1\n", time.Now().UnixNano()))
}

func rewriteLarge() error {
	files, err := filepath.Glob(filepath.Join(large, "*", "*.c"))
	for _, path := range files {
		err = errors.Join(err, appendTo(path, fmt.Sprintf("// %d\n", time.Now().UnixNano())))
	}
	return err
}

// Kills the server that we started, or cuts what leads to the one that we did not start.
func (l *lab) breakConnection() error {
	if l.server != nil {
		return l.server.Process.Kill()
	}
	answer, err := http.Get(os.Getenv("LAB_CUT"))
	if err == nil {
		err = answer.Body.Close()
	}
	return err
}

// ---- calls -----------------------------------------------------------------------------------------

type arguments map[string]any

func (l *lab) call(ctx context.Context, name string, args arguments, out any) error {
	args["format"] = "json"
	result, err := l.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err
	}
	text, err := json.Marshal(result.StructuredContent)
	if result.IsError {
		return fmt.Errorf("%s: %s", name, text)
	}
	return errors.Join(err, json.Unmarshal(text, out))
}

func (l *lab) search(ctx context.Context) error {
	var found struct {
		Results []struct {
			Path string `json:"file_path"`
		}
	}
	err := l.call(ctx, "search_code", arguments{"query": "where are retries handled", "project": project}, &found)
	if err == nil && (len(found.Results) == 0 || found.Results[0].Path != "src/retry.py") {
		err = fmt.Errorf("found %v", found)
	}
	return err
}

// A run with something to do; returns when it is under way, and gives its end to the channel.
func (l *lab) indexLarge(ctx context.Context) (chan error, error) {
	ended := make(chan error, 1)
	if err := rewriteLarge(); err != nil {
		return nil, err
	}
	for len(l.begun) > 0 {
		<-l.begun
	}
	params := &mcp.CallToolParams{Name: "index_repository", Arguments: arguments{"path": large}}
	params.SetProgressToken(time.Now().UnixNano())
	go func() {
		result, err := l.CallTool(ctx, params)
		if err == nil && result.IsError {
			err = errors.New("the run failed")
		}
		ended <- err
	}()
	select {
	case <-l.begun:
		return ended, nil
	case err := <-ended:
		return nil, fmt.Errorf("it ended without progress: %w", err)
	}
}

// ---- the steps ---------------------------------------------------------------------------------------

func (l *lab) lists(ctx context.Context) error {
	init := l.InitializeResult()
	if init.ServerInfo.Name != "ken" || init.ProtocolVersion != versions[era] {
		return fmt.Errorf("the server is %s, the revision %s", init.ServerInfo.Name, init.ProtocolVersion)
	}
	tools, err := l.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 31 {
		return fmt.Errorf("tools: %v %w", tools, err)
	}
	resources, err := l.ListResources(ctx, nil)
	if err != nil || len(resources.Resources) == 0 || resources.Resources[0].URI != "ken://projects" {
		return fmt.Errorf("resources: %v %w", resources, err)
	}
	return nil
}

func (l *lab) calls(ctx context.Context) error {
	if err := l.search(ctx); err != nil {
		return err
	}
	failed, err := l.CallTool(ctx, &mcp.CallToolParams{
		Name: "outline", Arguments: arguments{"file_path": "none.c", "project": project}})
	if err != nil || !failed.IsError {
		return fmt.Errorf("a failure must be a result: %w", err)
	}
	var refusal *jsonrpc.Error
	_, err = l.CallTool(ctx, &mcp.CallToolParams{Name: "no_such_tool", Arguments: arguments{}})
	if !errors.As(err, &refusal) || refusal.Code != jsonrpc.CodeInvalidParams {
		return fmt.Errorf("an unknown tool must be refused: %w", err)
	}
	return nil
}

// What is cancelled does not go on: the index can be written again, and what has changed is still to do.
func (l *lab) cancels(ctx context.Context) error {
	running, cancel := context.WithCancel(ctx)
	ended, err := l.indexLarge(running)
	cancel()
	if err != nil {
		return err
	}
	if err = <-ended; err == nil {
		return errors.New("a cancelled call must not have a result")
	}
	var again struct {
		Changes struct{ Modified int }
	}
	for err != nil && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
		err = l.call(ctx, "index_repository", arguments{"path": large}, &again)
	}
	if err == nil && again.Changes.Modified < 1000 {
		err = fmt.Errorf("only %d files were still to do", again.Changes.Modified)
	}
	return err
}

func (l *lab) subscribes(ctx context.Context) error {
	if err := l.Subscribe(ctx, &mcp.SubscribeParams{URI: status}); err != nil {
		return err
	}
	time.Sleep(2500 * time.Millisecond)
	if err := changeProject(); err != nil {
		return err
	}
	select {
	case uri := <-l.updates:
		if uri != status {
			return fmt.Errorf("told of %s", uri)
		}
	case <-ctx.Done():
		return errors.New("nothing was told")
	}
	return l.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: status})
}

func (l *lab) comesBack(ctx context.Context) error {
	ended, err := l.indexLarge(ctx)
	if err == nil {
		err = l.breakConnection()
	}
	if err != nil {
		return err
	}
	err = <-ended
	// A legacy stream is taken up; the stateless era has nothing to take up.
	if resumes := transport == "HTTP" && era == "legacy"; resumes != (err == nil) {
		return fmt.Errorf("the call whose connection broke: %v", err)
	}
	if transport == "stdio" {
		if l, err = connect(ctx); err != nil {
			return err
		}
		defer l.Close()
	}
	return l.search(ctx)
}

func main() {
	patience, err := strconv.ParseFloat(os.Getenv("LAB_PATIENCE"), 64)
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(20*patience)*time.Second)
	defer cancel()
	var l *lab
	if err == nil {
		l, err = connect(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "connect:", err)
		os.Exit(1)
	}
	steps := []struct {
		name string
		run  func(context.Context) error
	}{
		{"lists", l.lists}, {"calls", l.calls}, {"cancels", l.cancels},
		{"subscribes", l.subscribes}, {"comes back", l.comesBack},
	}
	for _, step := range steps {
		if err := step.run(ctx); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", step.name, err)
			os.Exit(1)
		}
		fmt.Println(step.name)
	}
}
