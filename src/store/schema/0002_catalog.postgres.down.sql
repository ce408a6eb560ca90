DROP TABLE ken.task_commit_links, ken.task_branch_links, ken.task_planning_references, ken.task_status_history,
    ken.task_counts, ken.task_clock, ken.tasks, ken.jobs, ken.access_tokens, ken.models, ken.settings,
    ken.remote_states, ken.remotes, ken.repositories;
