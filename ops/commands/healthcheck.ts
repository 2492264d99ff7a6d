/**
 * Exits with 0 if this machine's node responds: what a container's health check runs. It asks the monitoring port, which
 * every role has; a fault of the database or the exchanges doesn't count, because starting again wouldn't fix it.
 */
const port = process.env.METRICS_PORT
const response = await fetch(`http://127.0.0.1:${port}/live`, { signal: AbortSignal.timeout(2_500) }).catch(
  (error: unknown) => ({ ok: false, status: String(error) }),
)
if (!response.ok) {
  process.stderr.write(`The node on METRICS_PORT=${port} does not respond: ${response.status}\n`)
  process.exitCode = 1
}
