import { MessageCircle } from 'lucide-react'
import styles from './chat-button.module.css'

/**
 * The Live Chat button, on every page. Without the script it links to the contact page. The server replaces
 * `{{chatUrl}}` with the address of the operator's external chat, or with nothing for ours.
 */
export function ChatButton() {
  return (
    <a className={styles.chat} href="/contact-us" data-chat data-chat-url="{{chatUrl}}">
      <MessageCircle aria-hidden />
      Live Chat
    </a>
  )
}
