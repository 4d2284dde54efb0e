import { cdrColumns, cdrFields, type CallDetail } from '../../core/model/cdr/record.js';
import { csvLine } from '../../core/model/csv.js';

const at = (time: string): Date => new Date(`2026-01-31T${time}.000Z`);

const CALL: CallDetail = {
  id: '0197f3a0-5c00-7000-8000-000000000001',
  system: false,
  project_id: '0197f3a0-5c00-7000-8000-000000000002',
  direction: 'outbound',
  kind: 'outbound',
  status: 'ended',
  disposition: 'answered',
  customer_number: '+966501234567',
  line_number: '+966112345678',
  queue_id: null,
  agent: '1001',
  hangup_q850: 16,
  hangup_sip_code: 200,
  hangup_text: 'Normal call clearing',
  created_at: at('06:00:00'),
  ringing_at: at('06:00:02'),
  answered_at: at('06:00:09'),
  ended_at: at('06:01:20'),
  seconds: 71,
  mos: 4.4,
  amount: null,
  rated_at: null,
  charges: null,
  billed_seconds: null,
  plans: null,
  prefixes: null,
};

/** An export with one call. */
export const EXAMPLE_CDR = csvLine(cdrColumns(false)) + csvLine(cdrFields(CALL, false));
