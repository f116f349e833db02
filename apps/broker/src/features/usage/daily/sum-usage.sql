-- Sums up the usage rows that a statement wrote. Filled in twice: for inserted rows, and for updated rows, whose previous
-- values have the sign -1. Only the tools of servers are counted by name: the names of unknown tools and the URIs of resources
-- are unbounded. A tool's own error is an answer of its server; that of a built-in tool is our refusal. The bucket of failed
-- calls is -1: the server did not answer, or not with what a client can use. Tool runs on the website ('frontend') say nothing
-- about clients. The inner query first reduces the rows to one per bucket, because the outer query computes a sum for each
-- bucket: with all rows, that took a fifth of the time of writing a charged call.
create function {name}() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan set jit = off as $function$
begin
  insert into usage_parts (
    user_id, day, server_id, kind, name, calls, answered, credits, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250, ms_500,
    ms_1000, ms_2500, ms_5000, ms_15000, ms_more, failed, last_at, last_answered_at, last_client_at
  )
  select user_id, day, server, kind, tool,
    sum(calls), coalesce(sum(calls) filter (where bucket >= 0), 0), sum(credits),
    coalesce(sum(calls) filter (where bucket = 0), 0), coalesce(sum(calls) filter (where bucket = 1), 0),
    coalesce(sum(calls) filter (where bucket = 2), 0), coalesce(sum(calls) filter (where bucket = 3), 0),
    coalesce(sum(calls) filter (where bucket = 4), 0), coalesce(sum(calls) filter (where bucket = 5), 0),
    coalesce(sum(calls) filter (where bucket = 6), 0), coalesce(sum(calls) filter (where bucket = 7), 0),
    coalesce(sum(calls) filter (where bucket = 8), 0), coalesce(sum(calls) filter (where bucket = 9), 0),
    coalesce(sum(calls) filter (where bucket = 10), 0), coalesce(sum(calls) filter (where bucket = 11), 0),
    coalesce(sum(calls) filter (where bucket = -1), 0),
    max(last_at), max(last_at) filter (where bucket >= 0), max(last_client_at) filter (where bucket >= 0)
  from (
    select user_id, (created_at at time zone 'UTC')::date as day, coalesce(server_id, '') as server, kind,
      case when kind = 'tool' and server_id is not null then name else '' end as tool,
      -- the number of limits below the duration
      case when (outcome = 'ok' or (reason = 'tool_error' and server_id is not null))
          then width_bucket(duration_ms - 1, '{5,10,25,50,100,250,500,1000,2500,5000,15000}'::int[])
        when (outcome in ('error', 'failed') and not (outcome = 'ok' or (reason = 'tool_error' and server_id is not null)))
          then -1 end as bucket,
      sum(sign * calls) as calls, sum(sign * credits) as credits, max(created_at) filter (where sign = 1) as last_at,
      max(created_at) filter (where sign = 1 and client_id <> 'frontend') as last_client_at
    from ({rows}) counted group by 1, 2, 3, 4, 5, 6) bucketed
  group by 1, 2, 3, 4, 5;
  return null;
end $function$;

create trigger {name} after {event} on usage_events referencing {tables}
  for each statement execute function {name}();
