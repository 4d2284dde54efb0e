import type { TemplateCategory, TemplateContent, TemplateReview } from '../../model/messaging/template.js';

/** A template as it is submitted to the provider that reviews it. */
export interface SubmittedTemplate extends TemplateContent {
  readonly name: string;
  readonly language: string;
  readonly category: TemplateCategory;
}

/** What the provider says about a template. */
export interface ReviewedTemplate extends TemplateReview {
  readonly providerId: string;
}

/** A provider that reviews templates. Everything throws ProviderRefusal and ProviderUnavailable. */
export interface TemplateProvider {
  /** Submits a template. One that the provider has under this name and in this language is replaced. */
  create(projectId: string, template: SubmittedTemplate): Promise<ReviewedTemplate>;
  /** Replaces the content of a template, which is then reviewed again. */
  replace(projectId: string, providerId: string, template: SubmittedTemplate): Promise<ReviewedTemplate>;
  /** Null if the provider does not have it. */
  read(projectId: string, providerId: string): Promise<ReviewedTemplate | null>;
  /** Does nothing if the provider does not have it. @param providerId null: every language of the name */
  remove(projectId: string, name: string, providerId: string | null): Promise<void>;
}
