export { conversation, startChat } from './browser.ts'
export { ChatPanel } from './chat-panel.tsx'
