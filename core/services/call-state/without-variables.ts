import type { ProgramSpec, SavedProgram } from './program.js';

type FlowState = Readonly<Record<string, unknown>>;

/** Returns an ended call's program without its flow's variables, which may contain digits that the caller pressed. */
export function withoutVariables(program: SavedProgram): SavedProgram {
  const { spec, state, variables, ...others } = program;
  const flow = state?.flow as FlowState | undefined;
  return { ...others, spec: ofSpec(spec), state: flow ? { ...state, flow: emptied(flow) } : state };
}

function ofSpec(spec: ProgramSpec): ProgramSpec {
  if (spec.type === 'callflow') return spec.at ? { ...spec, at: emptied(spec.at) } : spec;
  return spec.type === 'queue' && spec.orElse ? { ...spec, orElse: ofSpec(spec.orElse) } : spec;
}

function emptied(flow: FlowState): FlowState {
  return { ...flow, variables: {} };
}
