# SPDX-License-Identifier: MIT
"""A client that openapi-python-client made: what somebody writes who uses the API.

Arguments: the address of a server, and a folder.
"""

import json
import sys

from ken_client import Client
from ken_client.api.index import index_repository
from ken_client.api.jobs import create_job, job_events
from ken_client.api.search import find_usages_get, get_architecture, search_code
from ken_client.api.tasks import create_task, get_task, get_task_get
from ken_client.models import (
    CreateTaskArguments,
    FindUsagesAnswer,
    GetArchitectureAnswer,
    GetArchitectureArguments,
    GetTaskArguments,
    IndexRepositoryAnswer,
    IndexRepositoryArguments,
    Job,
    JobRequest,
    JobRequestKind,
    JobState,
    Problem,
    ProblemCode,
    SearchCodeAnswer,
    SearchCodeArguments,
    SearchCodeArgumentsSearchType,
    Task,
)

url, folder = sys.argv[1:]
ken = Client(base_url=url, timeout=120)


def is_a(kind, answer):
    assert isinstance(answer, kind), answer
    return answer


# A job, with its stream.
indexed = is_a(
    IndexRepositoryAnswer,
    index_repository.sync(client=ken, body=IndexRepositoryArguments(repo_path=folder)),
)
project = indexed.project.id
queued = is_a(
    Job,
    create_job.sync(client=ken, body=JobRequest(kind=JobRequestKind.INDEX, project=project, force=True)),
)
told = [line for line in is_a(str, job_events.sync(id=queued.id, client=ken)).splitlines() if line.startswith("data: ")]
done = Job.from_dict(json.loads(told[-1].removeprefix("data: ")))
assert done.id == queued.id and done.state == JobState.DONE and done.progress.done > 0, done

# Questions.
found = is_a(
    SearchCodeAnswer,
    search_code.sync(
        client=ken,
        body=SearchCodeArguments(
            query="retry after a connection error",
            project=project,
            search_type=SearchCodeArgumentsSearchType.HYBRID,
            limit=3,
        ),
    ),
)
first = found.results[0]
assert first.file_path == "src/retry.py" and first.start_line >= 1 and "ConnectionError" in first.content, first

uses = is_a(
    FindUsagesAnswer,
    find_usages_get.sync(client=ken, symbol_name="parse_number", project=project, limit=10),
)
assert uses.definitions[0].file_path == "src/parse.c" and uses.total == 1, uses
assert [use.line for file in uses.files for use in file.calls or []] == [3], uses

parts = is_a(
    GetArchitectureAnswer,
    get_architecture.sync(client=ken, body=GetArchitectureArguments(project=project)),
)
assert any(language.language == "python" and language.files == 1 for language in parts.languages), parts

# A task, and back.
wish = CreateTaskArguments(title="Retry uploads", planning_references=["README.md"], project=project)
made = is_a(Task, create_task.sync(client=ken, body=wish))
task = is_a(Task, get_task_get.sync(client=ken, task_id=made.id))
assert task.title == "Retry uploads" and task.planning_references == ["README.md"], task
assert task.project.id == project and task.history[0].event == "status", task

# An error.
answer = get_task.sync_detailed(client=ken, body=GetTaskArguments(task_id="3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b"))
problem = is_a(Problem, answer.parsed)
assert answer.status_code == 404 and problem.status == 404 and problem.code == ProblemCode.ENOTFOUND, problem
print("ok")
