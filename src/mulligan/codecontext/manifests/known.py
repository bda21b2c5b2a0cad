"""Libraries that shape a project, by the names their packages have."""

import re
from collections.abc import Iterable

_EXACT = frozenset(
    {
        "@angular/core", "@nestjs/core", "@playwright/test", "@remix-run/react", "@sveltejs/kit", "absinthe",
        "actix-web", "aiohttp", "alembic", "astro", "axum", "bevy", "boost", "catch2", "celery", "clap", "click",
        "devise", "diesel", "django", "djangorestframework", "ecto", "ecto_sql", "electron", "esbuild", "eslint",
        "express", "fastapi", "fastify", "flask", "gatsby", "googletest", "grpc", "gtest", "hanami", "hono",
        "hypothesis", "jest", "jinja2", "koa", "leptos", "litestar", "minitest", "mocha", "next", "numpy", "nuxt",
        "oban", "opencv", "pandas", "phoenix", "phoenix_live_view", "playwright", "preact", "prisma", "pydantic",
        "pyramid", "pytest", "qt5", "qt6", "rails", "react", "react-native", "redux", "rocket", "rollup", "rspec",
        "rspec-rails", "scikit-learn", "scrapy", "serde", "sidekiq", "sinatra", "solid-js", "sqlalchemy", "sqlmodel",
        "sqlx", "starlette", "streamlit", "svelte", "tailwindcss", "tauri", "tensorflow", "textual", "tokio", "tonic",
        "torch", "tornado", "tracing", "transformers", "typer", "typescript", "vapor", "vite", "vitest", "vue",
        "warp", "webpack", "zod",
    }
)  # fmt: skip
_BEGINNINGS = {
    "github.com/gin-gonic/gin": "gin", "github.com/labstack/echo": "echo", "github.com/gofiber/fiber": "fiber",
    "github.com/go-chi/chi": "chi", "github.com/gorilla/mux": "gorilla/mux", "github.com/spf13/cobra": "cobra",
    "github.com/urfave/cli": "urfave/cli", "github.com/stretchr/testify": "testify", "google.golang.org/grpc": "grpc",
    "gorm.io/gorm": "gorm", "k8s.io/client-go": "kubernetes client",
    "org.springframework.boot": "spring boot", "org.springframework": "spring", "io.quarkus": "quarkus",
    "io.micronaut": "micronaut", "io.dropwizard": "dropwizard", "io.vertx": "vert.x", "org.hibernate": "hibernate",
    "org.junit": "junit", "junit": "junit", "io.ktor": "ktor", "com.android": "android",
    "org.jetbrains.kotlin": "kotlin", "org.testng": "testng", "org.mockito": "mockito",
    "laravel/framework": "laravel", "illuminate": "laravel", "symfony": "symfony", "slim/slim": "slim",
    "phpunit/phpunit": "phpunit", "pestphp/pest": "pest", "livewire/livewire": "livewire",
    "microsoft.net.sdk.web": "asp.net core", "microsoft.aspnetcore": "asp.net core",
    "microsoft.entityframeworkcore": "entity framework core", "xunit": "xunit", "nunit": "nunit", "mstest": "mstest",
}  # fmt: skip
"""Prefixes of package names for Go, Java, PHP and .NET. More specific ones come before more general ones."""


def frameworks_among(dependencies: Iterable[str]) -> tuple[str, ...]:
    """Sorted, each once."""
    return tuple(sorted({known for each in dependencies if (known := _known(each))}))


def _known(dependency: str) -> str | None:
    name = dependency.lower()
    if name in _EXACT:
        return name
    known = (what for group, what in _BEGINNINGS.items() if re.match(rf"{re.escape(group)}(?:[/:.]|$)", name))
    return next(known, None)
