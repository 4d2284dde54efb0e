import type { Command } from 'commander';

import type { TrunkAttempt } from '../../../core/data/repositories/engines/trunk-calls.js';
import type { TrunkStatistics } from '../../../core/services/trunks/figures.js';
import type { CliContext } from '../../common/context.js';
import { readNumber, type Shared } from '../../common/options.js';
import { result, table } from '../../common/output.js';

interface StatsOptions extends Shared {
  readonly hours: string;
}

/** @param trunks the commands for trunks */
export function addTrunkFigureCommands(trunks: Command, context: CliContext): void {
  trunks
    .command('stats')
    .description('show the outcome of the outgoing calls through each trunk')
    .option('--hours <number>', 'how far back, at most 744', '24')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<StatsOptions>();
      const hours = readNumber('--hours', options.hours);
      return context.withPlatform(async (platform) => {
        const rows = await platform.trunkFigures.of(hours);
        const shown = table(
          rows,
          {
            NAME: ({ trunk }) => trunk,
            LIVE: callsNow,
            ATTEMPTS: ({ attempts }) => attempts,
            ANSWERED: ({ answered }) => answered,
            FAILED: ({ failed }) => failed,
            REROUTED: ({ rerouted }) => rerouted,
            ASR: ({ asr }) => (asr === null ? null : `${(asr * 100).toFixed(1)} %`),
            ACD: ({ acd_seconds }) => seconds(acd_seconds),
            PDD: ({ pdd_seconds }) => seconds(pdd_seconds),
            MOS: ({ mos }) => (mos === null ? null : mos.toFixed(2)),
          },
          `There is no trunk yet: ${context.commands.hatif('trunks add <name> sip:<host>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  trunks
    .command('attempts')
    .description('show the attempts of a call to reach numbers through trunks')
    .argument('<call>', 'ID of the call')
    .action((callId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.trunkFigures.attempts(callId);
        const shown = table(
          rows,
          {
            BEGAN: ({ created_at }) => created_at.toISOString(),
            TRUNK: ({ trunk }) => trunk,
            LEG: ({ role }) => role,
            RANG: ({ ringing_at, answered_at }) => ringing_at !== null || answered_at !== null,
            ANSWERED: ({ answered_at }) => answered_at !== null,
            ENDED: endOf,
          },
          'The call dialled no number through a trunk.',
        );
        result(context.output(options.json), rows, shown);
      });
    });
}

function callsNow({ live_calls, capacity }: TrunkStatistics): string {
  return capacity === null ? String(live_calls) : `${live_calls} of ${capacity}`;
}

function seconds(value: number | null): string | null {
  return value === null ? null : `${value.toFixed(1)} s`;
}

function endOf({ ended_at, hangup_sip_code: sip, hangup_q850: q850, hangup_text: text }: TrunkAttempt): string | null {
  if (ended_at === null) return null;
  return `${sip === null ? '' : `SIP ${sip}, `}Q.850 ${q850 ?? '?'}: ${text ?? ''}`;
}
