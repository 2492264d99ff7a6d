import { MessageCircle } from 'lucide-react'
import styles from './chat-button.module.css'

/**
 * The Live Chat button, on every page: in the corner, and in the header of a phone, where the corner is text. Without
 * the script it links to the contact page. The server replaces `{{chatUrl}}` with the address of the operator's
 * external chat, or with nothing for ours.
 */
export function ChatButton() {
  return (
    <a className={styles.chat} href="/contact-us" data-chat data-chat-url="{{chatUrl}}">
      <MessageCircle aria-hidden />
      <span className={styles.name}>Live Chat</span>
    </a>
  )
}
