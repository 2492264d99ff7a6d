export {
  type Decision,
  decideProposal,
  findProposal,
  insertProposal,
  lockProposal,
  type NewProposal,
  type Proposal,
  type ProposalStatus,
  pendingProposal,
  pendingProposals,
} from './proposals.ts'
