import type { FlowDefinition, MenuDefinition } from './definition.js';

const TEXTS: Readonly<Record<'ar' | 'en', { readonly greeting: string; readonly prompt: string }>> = {
  ar: {
    greeting: 'أهلًا بك في هاتف. هذا مسار المكالمات الأول في مشروعك.',
    prompt: 'للتحدث إلى موظف اضغط واحدًا، ولسماع الخيارات مرة أخرى اضغط اثنين.',
  },
  en: {
    greeting: 'Welcome to Hatif. This is the first call flow of your project.',
    prompt: 'Press one to talk to an agent, or two to hear this again.',
  },
};

/** The call flow that a new sandbox starts with: a menu that leads to its first agent. */
export function starterFlow(
  language: 'ar' | 'en',
  agent: string,
): FlowDefinition & { readonly kind: 'menu'; readonly name: string } {
  const { greeting, prompt } = TEXTS[language];
  const definition: MenuDefinition = {
    language,
    greeting: { text: greeting },
    prompt: { text: prompt },
    options: { '1': { type: 'agent', target: agent }, '2': { type: 'repeat' } },
    otherwise: { type: 'hangup' },
  };
  return { name: 'Starter menu', kind: 'menu', definition };
}
