/** What the supervisor sends to a node that it has started. The address holds a password, so it isn't in the environment. */
export interface NodeOrders {
  /** The server's own login to the database: no node can change what the owner has set. */
  urls: { app: string }
  /** Make a link for the first operator, if there is none yet. */
  inviteFirst: boolean
}

/** What a node reports once it is up, or why it can't start. */
export type StartReport =
  | { is: 'up'; firstOperator: { url: string; email: string } | undefined; metricsPort: number | undefined }
  /** The operator must do something before it can start. */
  | { is: 'problem'; message: string }

/** What a node reports to its supervisor; `alive` every two seconds. */
export type NodeReport = StartReport | { is: 'alive' }

/** The supervisor's word for a node to finish what it does, and to end. */
export const STOP = 'stop'
