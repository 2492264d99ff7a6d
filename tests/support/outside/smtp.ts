import { createServer, type Socket } from 'node:net'

interface ReceivedMail {
  from: string
  to: string[]
  data: string
}

/** Starts a mail server that stores what it receives, and replies to each recipient as the test specifies. */
export async function startSmtp(answerTo: (recipient: string) => string = () => '250 ok') {
  const received: ReceivedMail[] = []
  const tried: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    let mail: ReceivedMail = { from: '', to: [], data: '' }
    let buffer = ''
    let inData = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    say('220 test')
    socket.on('data', (chunk) => {
      buffer += chunk.toString()
      for (;;) {
        const end = buffer.indexOf(inData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + (inData ? 5 : 2))
        if (inData) {
          received.push({ ...mail, data: line })
          mail = { from: '', to: [], data: '' }
          inData = false
          say('250 taken')
        } else if (/^(EHLO|HELO)/i.test(line)) say('250 test')
        else if (/^MAIL FROM/i.test(line)) {
          mail = { from: line.slice(10), to: [], data: '' }
          say('250 ok')
        } else if (/^RCPT TO/i.test(line)) {
          const recipient = /<([^>]*)>/.exec(line)?.[1] ?? ''
          tried.push(recipient)
          const answer = answerTo(recipient)
          if (answer.startsWith('250')) mail.to.push(recipient)
          say(answer)
        } else if (/^DATA/i.test(line)) {
          inData = true
          say('354 continue')
        } else if (/^QUIT/i.test(line)) {
          say('221 bye')
          socket.end()
        } else say('250 ok')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    received,
    tried,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
