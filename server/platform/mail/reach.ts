/** Connects to a mail server and signs in, without sending anything. Rejects if that isn't possible. */
export async function reachMailServer(smtpUrl: string, patienceMs: number): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
  })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}
