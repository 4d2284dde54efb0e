import { Counter, type Registry } from 'prom-client';
import { FRAUD_RULES } from '../../core/model/fraud/limits.js';
import type { FraudObserver } from '../../core/services/dialling/fraud-guard.js';

/** Counts the blocks against toll fraud that this process imposed. */
export function fraudObserver(registry: Registry): FraudObserver {
  const blocked = new Counter({
    name: 'hatif_fraud_blocks_total',
    help: 'Agents and projects whose outside calls were blocked against toll fraud, by the limit that was reached.',
    labelNames: ['rule'],
    registers: [registry],
  });
  for (const rule of FRAUD_RULES) blocked.inc({ rule }, 0);
  return { blocked: (rule) => blocked.inc({ rule }) };
}
