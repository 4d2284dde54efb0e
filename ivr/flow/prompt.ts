import type { FlowLanguage } from '../../core/model/flow/parts/fields.js';

/** A prompt whose variables have been replaced with their values. */
export type RenderedPrompt = { readonly audioId: string } | { readonly text: string; readonly language: FlowLanguage };
