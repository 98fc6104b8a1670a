// Shows the document of this node. No other host is asked: not for validation, fonts or pictures.
const dark = matchMedia("(prefers-color-scheme: dark)");
const adapt = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", adapt);
adapt();

SwaggerUIBundle({
	dom_id: "#reference",
	url: "openapi.yaml",
	validatorUrl: null,
	queryConfigEnabled: false,
	deepLinking: true,
	docExpansion: "list",
	defaultModelsExpandDepth: 0,
	defaultModelRendering: "model",
	displayRequestDuration: true,
	showMutatedRequest: false,
	tryItOutEnabled: false,
	syntaxHighlight: { activated: true, theme: "agate" },
	presets: [SwaggerUIBundle.presets.apis],
});
