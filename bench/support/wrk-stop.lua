-- wrk has no count of requests to stop after: its thread is stopped at the first answer.
function response()
  wrk.thread:stop()
end
