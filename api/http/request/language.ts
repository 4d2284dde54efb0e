import type { Request } from 'express';
import { readQuery } from './query.js';

/** The language of a page for people: that of the query, otherwise that of the browser, otherwise English. */
export function languageOf(req: Request): 'en' | 'ar' {
  const { language } = readQuery(req.url);
  if (language === 'ar' || language === 'en') return language;
  return req.acceptsLanguages('en', 'ar') === 'ar' ? 'ar' : 'en';
}
