export { StatementButton } from './statement-button.tsx'
export { StatementModal } from './statement-modal.tsx'
