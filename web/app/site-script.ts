import { enhance } from '#web/site/index.ts'

/** The script of static pages, with loaders for the parts that React renders. */
enhance({
  login: () => import('./islands/login.tsx'),
  contact: () => import('./islands/contact.tsx'),
  check: () => import('./islands/check.tsx'),
  chat: () => import('./islands/chat.tsx'),
})
