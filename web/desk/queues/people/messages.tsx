import { Fact, Facts, formatDateTime } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { PersonFact } from '../../parts/person-fact.tsx'
import styles from '../../parts/side-by-side.module.css'
import { QueueScreen } from '../screen/queue-screen.tsx'

/** Messages from the contact form: answered by e-mail, closed when done. */
export default function Messages() {
  return (
    <QueueScreen
      queue="messages"
      line={(message) => ({ words: message.message })}
      detail={(message) => (
        <div className={styles.letters}>
          <Facts>
            <PersonFact {...message} />
            <Fact name="Name">{message.name}</Fact>
            <Fact name="Received">{formatDateTime(message.created_at)}</Fact>
          </Facts>
          <p className={styles.letter}>{message.message}</p>
          {message.replies.map((reply) => (
            <div key={reply.at}>
              <p className={styles.by}>
                {reply.email}, {formatDateTime(reply.at)}
              </p>
              <p className={styles.letter}>{reply.text}</p>
            </div>
          ))}
        </div>
      )}
      actions={(message) =>
        message.status !== 'Open'
          ? []
          : [
              {
                key: 'a',
                label: 'Reply',
                look: 'primary',
                asks: { label: 'Reply', kind: 'long', hint: `Sent by e-mail to ${message.email}.` },
                run: async (text) => {
                  await call('POST /desk/messages/:id/reply', { params: { id: message.id }, body: { text } })
                  return `Your reply to ${message.email} was sent.`
                },
              },
              {
                key: 'x',
                label: 'Close',
                run: async () => {
                  await call('POST /desk/messages/:id/close', { params: { id: message.id } })
                  return 'The message was closed.'
                },
              },
            ]
      }
    />
  )
}
