export { openStatement } from './open-statement.ts'
export { Statement } from './statement.tsx'
export { StatementButton } from './statement-button.tsx'
