import { enhance } from '#web/site/index.ts'

/** The script of still pages: what it does by itself, and where it finds the parts that React draws. */
enhance({
  login: () => import('./islands/login.tsx'),
  contact: () => import('./islands/contact.tsx'),
  chat: () => import('./islands/chat.tsx'),
})
