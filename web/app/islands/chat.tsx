import { createRoot, type Root } from 'react-dom/client'
import { ChatPanel, conversation, startChat } from '#web/chat/index.ts'

let root: Root | undefined
let isOpen = false
let opener: HTMLElement | undefined
let isAsked = false

/**
 * Shows the chat over whatever page this is; `from` gets the focus when it is closed. Who did not ask for it, since it was
 * open on the page before, keeps the focus where it is.
 */
export function openChat(from?: HTMLElement, asked = true): void {
  listenForChat()
  opener = from
  isAsked = asked
  isOpen = true
  draw()
}

/** Listens without showing anything, so that what the desk says is told by a sign on the page's chat buttons. */
export function listenForChat(): void {
  if (root) return
  root = createRoot(document.body.appendChild(document.createElement('div')))
  conversation.onChange(sign)
  startChat()
}

function draw(): void {
  root?.render(isOpen ? <ChatPanel focus={isAsked} onClose={close} /> : null)
  document.documentElement.toggleAttribute('data-chat-open', isOpen)
}

function close(): void {
  isOpen = false
  draw()
  opener?.focus()
}

/** The buttons say how much is unread: a number in a badge, and in words for who does not see it. */
function sign(): void {
  const { unread } = conversation.state()
  for (const button of document.querySelectorAll<HTMLElement>('[data-chat]')) {
    if (unread === 0) {
      delete button.dataset.unread
      button.removeAttribute('aria-label')
    } else {
      button.dataset.unread = String(Math.min(unread, 99))
      button.setAttribute('aria-label', `Live Chat, ${unread} unread`)
    }
  }
}
