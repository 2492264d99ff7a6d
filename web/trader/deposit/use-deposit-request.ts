import { useNavigate } from 'react-router'
import { useRequest } from '#web/api/index.ts'
import { CallError } from '#web/client/index.ts'
import { toast } from '#web/ui/index.ts'

/**
 * The state of a request of a deposit; `refuse` marks the fields of its form. One that asks for the birth date opens Edit
 * profile at that field.
 */
export function useDepositRequest(refuse: (message: string, error: unknown) => void = () => {}) {
  const navigate = useNavigate()
  return useRequest((message, error) => {
    refuse(message, error)
    if (!(error instanceof CallError) || !error.errors.some(({ field }) => field === 'date_of_birth')) return
    toast.error(message)
    void navigate('/user/edit-profile#date_of_birth')
  })
}
