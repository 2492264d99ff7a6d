import type { DeskChat } from '#contract/desk/chats.ts'
import { call } from '../api.ts'
import { QueueScreen } from '../queue/queue-screen.tsx'
import { useMay } from '../session.ts'
import { Conversation } from './conversation.tsx'

/** Live chats. The operator who answers keeps the conversation until they release or close it. */
export default function Chats() {
  const may = useMay('support')
  return (
    <QueueScreen<DeskChat>
      queue="chats"
      title="Chats"
      of="chat"
      statuses={['Open', 'Closed']}
      waiting="Open"
      may={may}
      read={(query, signal) => call('GET /desk/chats', { query: query as { status: 'Open' }, signal })}
      claim={(id) => call('POST /desk/chats/:id/claim', { params: { id } })}
      release={(id) => call('POST /desk/chats/:id/release', { params: { id } })}
      line={(chat) => ({
        words: chat.last === null ? '' : `${chat.last.from === 'desk' ? 'Desk: ' : ''}${chat.last.text}`,
        figure: chat.status === 'Open' && chat.waits_since === null ? 'answered' : undefined,
      })}
      waitsSince={(chat) => chat.waits_since ?? undefined}
      detail={(chat) => <Conversation chat={chat} may={may} />}
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
