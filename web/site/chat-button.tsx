import { MessageCircle } from 'lucide-react'
import styles from './chat-button.module.css'

/**
 * Live Chat, on every page. Without the script it leads to the contact page. `{{chatUrl}}` is filled in by the server: an
 * operator's other chat, or nothing for ours.
 */
export function ChatButton() {
  return (
    <a className={styles.chat} href="/contact-us" data-chat data-chat-url="{{chatUrl}}">
      <MessageCircle aria-hidden />
      Live Chat
    </a>
  )
}
