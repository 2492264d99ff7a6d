import { createRoot, type Root } from 'react-dom/client'
import { ChatPanel, conversation, startChat } from '#web/chat/index.ts'

let root: Root | undefined
let isOpen = false
let opener: HTMLElement | undefined
let isAsked = false

/**
 * Opens the chat over any page; `from` gets the focus when it closes. If the chat opens by itself, because it was open
 * on the previous page, the focus stays where it is.
 */
export function openChat(from?: HTMLElement, asked = true): void {
  listenForChat()
  opener = from
  isAsked = asked
  isOpen = true
  draw()
}

/** Listens without opening the chat, so that new messages show a badge on the page's chat buttons. */
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

/** Shows the number of unread messages on the buttons: as a badge, and as text for screen readers. */
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
