export {
  type Decision,
  decideProposal,
  findProposal,
  insertProposal,
  lockProposal,
  type Proposal,
  pendingProposal,
  pendingProposals,
} from './proposals.ts'
