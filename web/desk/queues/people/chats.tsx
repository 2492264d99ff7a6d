import { call } from '../../api.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'
import { Conversation } from './conversation.tsx'

/** Live chats. The operator who answers keeps the conversation until they release or close it. */
export default function Chats() {
  return (
    <QueueScreen
      queue="chats"
      line={(chat) => ({
        words: chat.last === null ? '' : `${chat.last.from === 'desk' ? 'Desk: ' : ''}${chat.last.text}`,
        figure: chat.status === 'Open' && chat.waits_since === null ? 'answered' : undefined,
      })}
      waitsSince={(chat) => chat.waits_since ?? undefined}
      detail={(chat, may) => <Conversation chat={chat} may={may} />}
      actions={(chat) =>
        chat.status !== 'Open'
          ? []
          : [
              {
                key: 'x',
                label: 'Close',
                run: async () => {
                  await call('POST /desk/chats/:id/close', { params: { id: chat.id } })
                  return 'The chat was closed.'
                },
              },
            ]
      }
    />
  )
}
